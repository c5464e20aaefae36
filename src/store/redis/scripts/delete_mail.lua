-- ARGV: mail.

drop_mail(ARGV[2])
return true

-- Answers a reader, or false. ARGV: id.

return reader_fields(ARGV[2])

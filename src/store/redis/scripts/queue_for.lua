-- Queues a message to the webhook of an account, and answers as queue_for_hook. ARGV: account, id, body, when, how many may
-- wait.

return queue_for_hook(ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6])

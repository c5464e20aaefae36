-- Answers the names of the processes that serve.

return serving_processes(moment())

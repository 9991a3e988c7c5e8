# Stops where debugger.cc says "stop here"; outside of transactions nothing goes there.
set width 0
set style enabled off
set debuginfod enabled off
break debugger.cc:21
run
info symbol $pc
backtrace 2
print amount
kill

# The two commands: `make demo` and `make test`. Everything else serves them.

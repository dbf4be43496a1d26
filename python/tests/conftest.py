"""What all tests share."""

import signal

# Where a script starts the tests in the background SIGINT is ignored, and Python then raises no KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

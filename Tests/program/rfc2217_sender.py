"""A sender that uses what a pty lacks: modem lines, a break, and other settings of the port."""
import os
import time

import serial


def expect(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: expected {expected!r}, found {found!r}")


with serial.serial_for_url(os.environ["SENTRY_RFC2217"], 9600, timeout=2) as port:
    expect("CTS, DSR, CD, RI", (port.cts, port.dsr, port.cd, port.ri), (True, True, True, False))
    time.sleep(1.2)
    port.write(b"X45.?")
    expect("an answer", port.read(49)[:8], b"045 hold")
    port.send_break(0.1)
    port.dtr = False
    time.sleep(0.1)
    port.dtr = True
    time.sleep(1.2)
    port.baudrate = 4800
    port.write(b"X")
    time.sleep(0.1)
    port.baudrate = 9600
    port.bytesize, port.parity = serial.SEVENBITS, serial.PARITY_EVEN
    port.write(b"1")
    time.sleep(0.1)
    port.bytesize, port.parity = serial.EIGHTBITS, serial.PARITY_NONE
    port.rts = False
    port.reset_input_buffer()
    # Drops the bytes that still wait for the line.
    port.write(b" " * 1_000)
    port.reset_output_buffer()
    time.sleep(0.3)
    port.write(b"X9\xff0.")
    time.sleep(0.3)

"""Shared by the benchmarks: running processes, building programs, and printing the table."""
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class Failed(Exception):
    pass


def run(command):
    """Runs a whole process. Returns its wall time in seconds, and its output."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return elapsed, done.stdout


def build_c(folder, name, *options):
    program = os.path.join(folder, name)
    source = os.path.join(HERE, "peer", name + ".c")
    command = ["cc", "-O2", "-std=gnu11", "-o", program, source, *options]
    return program, subprocess.run(command, capture_output=True, text=True)


def build_avr(folder, name):
    """Builds a program for the chip as an ELF file."""
    elf = os.path.join(folder, name + ".elf")
    run(["avr-gcc", "-mmcu=atmega328p", "-Os", "-std=gnu11", "-o", elf,
         os.path.join(HERE, "peer", name + ".c")])
    return elf


def number(value):
    if value >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}" if value < 10 else f"{value:.1f}"


def machine():
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo") as file:
            names = (line for line in file if line.startswith("model name"))
            model = next(names).split(":")[1].strip()
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores"


class Table:
    def __init__(self):
        print(f"{'figure':<44}{'measured':>14}{'target':>14}{'ratio':>8}")

    def row(self, figure, measured, target=None, at_most=False):
        """Prints a row. Its ratio is how many times better than the target the figure is."""
        line = f"{figure:<44}{number(measured):>14}"
        if target is not None:
            sign = "<= " if at_most else ">= "
            better, worse = (target, measured) if at_most else (measured, target)
            ratio = f"{better / worse:.2f}" if worse else "-"
            words = ("within", "OVER") if at_most else ("pass", "MISS")
            word = words[0] if better >= worse else words[1]
            line += f"{sign + number(target):>14}{ratio:>8}  {word}"
        print(line, flush=True)

    def note(self, text):
        print("  " + text, flush=True)

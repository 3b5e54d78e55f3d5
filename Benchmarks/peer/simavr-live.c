/* simavr-live ELF: runs the program on simavr in real time behind simavr's own pty bridge. Prints
 * `port PATH`, then a line for every change of PB1. */

#include <errno.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/parts/uart_pty.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_time.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* The library has this function, but its header does not. */
avr_cycle_count_t uart_pty_flush_timer(avr_t *avr, avr_cycle_count_t when, void *bridge);

static struct timespec origin;

static void pin_changed(struct avr_irq_t *irq, uint32_t level, void *context)
{
  static uint32_t last;
  (void)irq, (void)context;
  if (level == last) return; /* the pin only became an output */
  last = level;
  const char *line = level ? "servo 1\n" : "servo 0\n";
  if (write(STDOUT_FILENO, line, 8) != 8) _exit(74);
}

/* Sleeps until an absolute time. simavr's own function sleeps for a duration, and falls behind. */
static void sleep_until(avr_t *avr, avr_cycle_count_t cycles)
{
  uint64_t due = (uint64_t)origin.tv_nsec + (avr->cycle + cycles) * 125 / 2;
  struct timespec until = {origin.tv_sec + (time_t)(due / 1000000000), (long)(due % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
}

/* Does the same as uart_pty_connect, which would also create a link in /tmp. */
static void connect_bridge(avr_t *avr, uart_pty_t *bridge)
{
  avr_connect_irq(
    bridge->irq + IRQ_UART_PTY_BYTE_OUT,
    avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT));
  bridge->xon = 1;
  avr_cycle_timer_register(avr, avr_usec_to_cycles(avr, 1000), uart_pty_flush_timer, bridge);
}

int main(int count, char **arguments)
{
  static elf_firmware_t firmware;
  static uart_pty_t bridge;
  if (count != 2 || elf_read_firmware(arguments[1], &firmware) != 0) return 66;
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  if (!avr) return 69;
  avr_init(avr);
  avr_load_firmware(avr, &firmware);
  avr->frequency = 16000000;
  avr->sleep = sleep_until;
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  uart_pty_init(avr, &bridge);
  connect_bridge(avr, &bridge);
  avr_irq_register_notify(
    avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 1), pin_changed, NULL);
  printf("port %s\n", bridge.pty.slavename);
  fflush(stdout);
  clock_gettime(CLOCK_MONOTONIC, &origin);
  for (;;) {
    int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) return 70;
  }
}

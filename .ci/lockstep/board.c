/* board CHIP PROGRAM WRITE PORT BIT SECONDS  runs a program on all of simavr's CHIP.
 *
 * PROGRAM is the flash memory's contents as a binary file. Standard input has one line for each byte
 * to the first serial port: the cycle at which its stop bit ends, and the byte. One line is printed
 * for each call of the function at WRITE, a byte address in hexadecimal, with its second argument
 * (`this` is the first), and one for each change of the pin PORT BIT:
 *
 *     3152 write 90
 *     322400 pin 1
 */

#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { capacity = 65536, frequency = 16000000 };

static avr_uart_t *uart;
static uint32_t sent, received;
static uint8_t bytes[capacity];
static uint64_t ends[capacity];

static void say_nothing(avr_t *avr, const int level, const char *format, va_list arguments)
{
  (void)avr, (void)level, (void)format, (void)arguments;
}

static void never_sleep(avr_t *avr, avr_cycle_count_t cycles) { (void)avr, (void)cycles; }

static void pin_changed(struct avr_irq_t *irq, uint32_t level, void *avr)
{
  (void)irq;
  printf("%llu pin %u\n", (unsigned long long)((avr_t *)avr)->cycle, level != 0);
}

/* Without this, simavr would take another byte time to deliver a byte. */
static avr_cycle_count_t receive(avr_t *avr, avr_cycle_count_t when, void *context)
{
  (void)avr, (void)when, (void)context;
  uart->cycles_per_byte = 1;
  avr_raise_irq(uart->io.irq + UART_IRQ_INPUT, bytes[received++]);
  return received < sent ? ends[received] : 0;
}

static void fail(const char *what)
{
  fprintf(stderr, "board: %s\n", what);
  exit(1);
}

int main(int count, char **arguments)
{
  if (count != 7) fail("usage: board CHIP PROGRAM WRITE PORT BIT SECONDS");
  avr_global_logger_set(say_nothing);
  avr_t *avr = avr_make_mcu_by_name(arguments[1]);
  if (!avr) fail("simavr does not have this chip");
  avr_init(avr);
  avr->frequency = frequency;
  avr->sleep = never_sleep;
  FILE *program = fopen(arguments[2], "rb");
  if (!program || fread(avr->flash, 1, avr->flashend + 1, program) == 0) fail("no program");
  fclose(program);
  avr_flashaddr_t write = strtoul(arguments[3], NULL, 16);
  uint64_t until = (uint64_t)(atof(arguments[6]) * frequency);

  for (avr_io_t *io = avr->io_port; io; io = io->next)
    if (strcmp(io->kind, "uart") == 0 && ((avr_uart_t *)io)->name == '0') uart = (avr_uart_t *)io;
  if (!uart) fail("the chip has no serial port");
  uint32_t none = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &none);
  avr_irq_register_notify(
    avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(*arguments[4]), atoi(arguments[5])), pin_changed, avr);

  unsigned long long end;
  unsigned byte;
  while (sent < capacity && scanf("%llu %u", &end, &byte) == 2) {
    ends[sent] = end;
    bytes[sent++] = (uint8_t)byte;
  }
  if (sent > 0) avr_cycle_timer_register(avr, ends[0], receive, NULL);

  while (avr->cycle < until) {
    if (avr->pc == write) {
      int16_t value = (int16_t)(avr->data[22] | avr->data[23] << 8);
      printf("%llu write %d\n", (unsigned long long)avr->cycle, value);
    }
    int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) fail("the program ended");
  }
  return 0;
}

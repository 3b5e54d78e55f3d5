/* simavr-chip HEX SECONDS BYTES: runs the program on simavr for that many virtual seconds, sends it
 * the bytes at 1.5 s, and prints the number of pulses on PB1 and the value of OCR1A at the end. */

#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_hex.h>
#include <simavr/sim_irq.h>
#include <stdio.h>
#include <stdlib.h>

enum { ocr1al = 0x88, ocr1ah = 0x89 };

static unsigned long pulses;

static void pin_changed(struct avr_irq_t *irq, uint32_t level, void *context)
{
  (void)irq, (void)context;
  if (level) pulses++;
}

/* Without this, simavr sleeps in real time while the program is idle. */
static void never_sleep(avr_t *avr, avr_cycle_count_t cycles) { (void)avr, (void)cycles; }

static void run_until(avr_t *avr, double seconds)
{
  avr_cycle_count_t end = (avr_cycle_count_t)(seconds * 16e6);
  while (avr->cycle < end) {
    int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) exit(70);
  }
}

int main(int count, char **arguments)
{
  if (count != 4) return 64;
  ihex_chunk_p chunks = NULL;
  int chunk_count = read_ihex_chunks(arguments[1], &chunks);
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  if (chunk_count < 1 || !avr) return 66;
  avr_init(avr);
  avr->frequency = 16000000;
  for (int i = 0; i < chunk_count; i++)
    avr_loadcode(avr, chunks[i].data, chunks[i].size, chunks[i].baseaddr);
  avr->sleep = never_sleep;
  /* simavr must not print what the program sends, nor wait while the program polls its port. */
  uint32_t none = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &none);
  avr_irq_register_notify(
    avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 1), pin_changed, NULL);
  run_until(avr, 1.5);
  avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
  for (const char *byte = arguments[3]; *byte; byte++) avr_raise_irq(input, (uint8_t)*byte);
  run_until(avr, atof(arguments[2]));
  printf("%lu %d\n", pulses, avr->data[ocr1al] | avr->data[ocr1ah] << 8);
  return 0;
}

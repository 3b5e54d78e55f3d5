/* simavr-scan ELF SECONDS: runs the program on simavr for that many virtual seconds and prints the
 * number of pulses on PB1. */

#include <simavr/avr_ioport.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_irq.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long pulses;

static void pin_changed(struct avr_irq_t *irq, uint32_t level, void *context)
{
  (void)irq, (void)context;
  if (level) pulses++;
}

/* Without this, simavr sleeps in real time while the program is idle. */
static void never_sleep(avr_t *avr, avr_cycle_count_t cycles) { (void)avr, (void)cycles; }

int main(int count, char **arguments)
{
  static elf_firmware_t firmware;
  if (count != 3 || elf_read_firmware(arguments[1], &firmware) != 0) return 66;
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  if (!avr) return 69;
  avr_init(avr);
  avr_load_firmware(avr, &firmware);
  avr->frequency = 16000000;
  avr->sleep = never_sleep;
  avr_irq_register_notify(
    avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 1), pin_changed, NULL);
  avr_cycle_count_t end = (avr_cycle_count_t)(atof(arguments[2]) * 16e6);
  while (avr->cycle < end) {
    int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) return 70;
  }
  printf("%lu\n", pulses);
  return 0;
}

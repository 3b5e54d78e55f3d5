/* simavr's complete ATmega328P with its peripherals. Its only inputs are bytes on its serial port.
 * Changes of pin PB1 and writes to OCR1A are recorded. */

#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ocr1al = 0x88, ocr1ah = 0x89, capacity = 65536 };

/* The level of PB1 (0 or 1), or the new value of OCR1A. */
struct whole_event {
  uint64_t cycle;
  uint32_t value;
  uint32_t is_compare;
};

struct whole {
  avr_t *avr;
  avr_uart_t *uart;
  uint32_t count;
  struct whole_event events[capacity];
  /* Bytes on their way to the chip, and the cycles at which their stop bits end. */
  uint32_t sent, received;
  uint8_t bytes[capacity];
  uint64_t ends[capacity];
};

static void say_nothing(avr_t *avr, const int level, const char *format, va_list arguments)
{
  (void)avr, (void)level, (void)format, (void)arguments;
}

static void never_sleep(avr_t *avr, avr_cycle_count_t cycles) { (void)avr, (void)cycles; }

static void note(struct whole *whole, uint32_t value, uint32_t is_compare)
{
  if (whole->count == capacity) abort();
  whole->events[whole->count++] = (struct whole_event){ whole->avr->cycle, value, is_compare };
}

static void pin_changed(struct avr_irq_t *irq, uint32_t level, void *context)
{
  (void)irq;
  note(context, level != 0, 0);
}

static void compare_written(struct avr_irq_t *irq, uint32_t low, void *context)
{
  (void)irq;
  struct whole *whole = context;
  note(whole, low | (uint32_t)whole->avr->data[ocr1ah] << 8, 1);
}

/* Without this, simavr would take another byte time to deliver a byte, and would count 11 bits per
 * byte. */
static avr_cycle_count_t receive(avr_t *avr, avr_cycle_count_t when, void *context)
{
  (void)avr, (void)when;
  struct whole *whole = context;
  whole->uart->cycles_per_byte = 1;
  avr_raise_irq(whole->uart->io.irq + UART_IRQ_INPUT, whole->bytes[whole->received++]);
  return whole->received < whole->sent ? whole->ends[whole->received] : 0;
}

struct whole *whole_create(const uint8_t *flash, uint32_t size)
{
  avr_global_logger_set(say_nothing);
  struct whole *whole = calloc(1, sizeof *whole);
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  if (!whole || !avr) return NULL;
  avr_init(avr);
  avr->frequency = 16000000;
  avr->sleep = never_sleep;
  memcpy(avr->flash, flash, size);
  whole->avr = avr;
  for (avr_io_t *io = avr->io_port; io; io = io->next)
    if (strcmp(io->kind, "uart") == 0) whole->uart = (avr_uart_t *)io;
  uint32_t none = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &none);
  avr_irq_register_notify(
    avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 1), pin_changed, whole);
  avr_irq_register_notify(
    avr_iomem_getirq(avr, ocr1al, NULL, AVR_IOMEM_IRQ_ALL), compare_written, whole);
  return whole;
}

void whole_destroy(struct whole *whole)
{
  avr_terminate(whole->avr);
  free(whole->avr);
  free(whole);
}

/* Returns 0 if the program ended or crashed. */
int whole_run(struct whole *whole, uint64_t until)
{
  while (whole->avr->cycle < until) {
    int state = avr_run(whole->avr);
    if (state == cpu_Done || state == cpu_Crashed) return 0;
  }
  return 1;
}

/* Sends a byte whose stop bit ends at that cycle. Cycles must increase from byte to byte. */
void whole_send(struct whole *whole, uint8_t byte, uint64_t cycle)
{
  if (whole->sent == capacity) abort();
  whole->bytes[whole->sent] = byte;
  whole->ends[whole->sent++] = cycle;
  if (whole->sent - whole->received == 1)
    avr_cycle_timer_register(whole->avr, cycle - whole->avr->cycle, receive, whole);
}

uint32_t whole_count(const struct whole *whole) { return whole->count; }

void whole_read(const struct whole *whole, uint32_t index, struct whole_event *event)
{
  *event = whole->events[index];
}

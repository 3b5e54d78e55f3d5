/* A stand-in for a sketch on an emulated ATmega328P at 16 MHz. It sleeps until a byte arrives at
 * 9600 baud, and toggles PB1 at the `.` that ends an aim. It computes nothing, so that only the
 * emulator is measured. */

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

ISR(USART_RX_vect)
{
  if (UDR0 == '.') PINB = _BV(PINB1); /* toggles it */
}

int main(void)
{
  DDRB = _BV(DDB1);
  UBRR0 = 103;
  UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
  UCSR0B = _BV(RXEN0) | _BV(RXCIE0);
  set_sleep_mode(SLEEP_MODE_IDLE);
  sei();
  for (;;) sleep_mode();
}

/* A few plain functions around the CPU of simavr's ATmega328P, for the lockstep tests, which load
 * this library at run time. None of simavr's peripherals takes part. A callback provides every
 * value that the program reads from an I/O register, the caller decides when interrupts are
 * entered, and time passes only through instructions. */

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  io_begin = 0x20, spl = 0x5D, sreg = 0x5F, io_end = 0x100, sram_begin = 0x100, sram_size = 0x800
};

typedef uint8_t (*lockstep_read)(void *context, uint16_t address);

struct lockstep {
  avr_t *avr;
  lockstep_read read;
  void *context;
};

/* The state that the tests compare after every instruction. */
struct lockstep_state {
  uint64_t cycle;
  uint16_t pc; /* in bytes */
  uint16_t sp;
  uint8_t sreg;
  uint8_t registers[32];
};

static void say_nothing(avr_t *avr, const int level, const char *format, va_list arguments)
{
  (void)avr, (void)level, (void)format, (void)arguments;
}

static uint8_t read_io(avr_t *avr, avr_io_addr_t address, void *context)
{
  (void)avr;
  struct lockstep *lockstep = context;
  return lockstep->read(lockstep->context, address);
}

static void write_io(avr_t *avr, avr_io_addr_t address, uint8_t value, void *context)
{
  (void)avr, (void)address, (void)value, (void)context;
}

static uint8_t status(const avr_t *avr)
{
  uint8_t bits = 0;
  for (int bit = 0; bit < 8; bit++) bits |= (uint8_t)(avr->sreg[bit] << bit);
  return bits;
}

struct lockstep *lockstep_create(lockstep_read read, void *context)
{
  avr_global_logger_set(say_nothing);
  struct lockstep *lockstep = calloc(1, sizeof *lockstep);
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  if (!lockstep || !avr) return NULL;
  avr_init(avr);
  *lockstep = (struct lockstep){ avr, read, context };
  for (int address = io_begin; address < io_end; address++) {
    int io = AVR_DATA_TO_IO(address);
    avr->io[io].irq = NULL;
    int is_cpu = address >= spl && address <= sreg;
    avr->io[io].r.c = is_cpu ? NULL : read_io;
    avr->io[io].r.param = lockstep;
    avr->io[io].w.c = is_cpu ? NULL : write_io;
    avr->io[io].w.param = lockstep;
  }
  return lockstep;
}

void lockstep_destroy(struct lockstep *lockstep)
{
  avr_terminate(lockstep->avr);
  free(lockstep->avr);
  free(lockstep);
}

void lockstep_program(struct lockstep *lockstep, uint16_t word_address, uint16_t word)
{
  lockstep->avr->flash[2 * word_address] = (uint8_t)word;
  lockstep->avr->flash[2 * word_address + 1] = (uint8_t)(word >> 8);
}

/* Copies the registers and the SRAM from another chip's data space. */
void lockstep_load(struct lockstep *lockstep, const uint8_t *data)
{
  memcpy(lockstep->avr->data, data, 32);
  memcpy(lockstep->avr->data + sram_begin, data + sram_begin, sram_size);
}

/* Executes one instruction, including SLEEP: the caller decides when to continue. simavr itself
 * would sleep even if SE in SMCR is 0, and would stop if I in SREG is 0; the data sheet says
 * neither ("Sleep Modes"). */
void lockstep_step(struct lockstep *lockstep)
{
  avr_t *avr = lockstep->avr;
  avr->run_cycle_count = 0;
  avr->state = cpu_Running;
  avr->pc = avr_run_one(avr);
}

/* Enters the interrupt at a byte address. Its first instruction begins at the given cycle. */
void lockstep_interrupt(struct lockstep *lockstep, uint16_t vector, uint64_t cycle)
{
  avr_t *avr = lockstep->avr;
  _avr_push_addr(avr, avr->pc);
  avr_sreg_set(avr, S_I, 0);
  avr->pc = vector;
  avr->cycle = cycle;
}

/* Sets the program counter and the cycle where simavr is known to be wrong. */
void lockstep_correct(struct lockstep *lockstep, uint16_t pc, uint64_t cycle)
{
  lockstep->avr->pc = pc;
  lockstep->avr->cycle = cycle;
}

/* Whether the compared state is the same. `data` begins with the registers. */
int lockstep_agrees(
  const struct lockstep *lockstep, const uint8_t *data, uint8_t sreg_value, uint16_t sp,
  uint16_t pc, uint64_t cycle)
{
  avr_t *avr = lockstep->avr;
  return avr->cycle == cycle && avr->pc == pc && _avr_sp_get(avr) == sp &&
    status(avr) == sreg_value && memcmp(avr->data, data, 32) == 0;
}

void lockstep_read_state(const struct lockstep *lockstep, struct lockstep_state *state)
{
  avr_t *avr = lockstep->avr;
  state->cycle = avr->cycle;
  state->pc = (uint16_t)avr->pc;
  state->sp = _avr_sp_get(avr);
  state->sreg = status(avr);
  memcpy(state->registers, avr->data, 32);
}

/* The first address of SRAM at which the two hold different bytes, or -1. */
int lockstep_compare_sram(const struct lockstep *lockstep, const uint8_t *data)
{
  for (int address = sram_begin; address < sram_begin + sram_size; address++)
    if (lockstep->avr->data[address] != data[address]) return address;
  return -1;
}

#include "tx/checkpoint.h"

#ifdef PERDURE_THREAD_SANITIZER

namespace perdure::tx {

int perdure_call_with_checkpoint(Checkpoint* checkpoint, void (*body)(void*), void* closure) {
  checkpoint->stack_pointer = __builtin_frame_address(0);
  checkpoint->result = 0;
  if (const int result = _setjmp(checkpoint->buffer); result != 0) return result;
  body(closure);
  return checkpoint->result;
}

void perdure_set_result(Checkpoint* checkpoint, int result) { checkpoint->result = result; }

void perdure_restore(Checkpoint* checkpoint, int result) { longjmp(checkpoint->buffer, result); }

}  // namespace perdure::tx

#else

// The frame of perdure_call_with_checkpoint holds the callee-saved registers; it lies above the body's frames, so it is
// intact when the body is abandoned, and restoring is: set the stack pointer back and leave the function the normal
// way. The unwind information (.cfi) lets exceptions pass. At the bottom of the frame is what it returns.
asm(R"(
        .text
        .globl  perdure_call_with_checkpoint
        .type   perdure_call_with_checkpoint, @function
perdure_call_with_checkpoint:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rbx
        .cfi_offset %rbx, -24
        pushq   %r12
        .cfi_offset %r12, -32
        pushq   %r13
        .cfi_offset %r13, -40
        pushq   %r14
        .cfi_offset %r14, -48
        pushq   %r15
        .cfi_offset %r15, -56
        pushq   $0
        movq    %rsp, (%rdi)
        movq    %rdx, %rdi
        call    *%rsi
        movl    (%rsp), %eax
.Lperdure_leave:
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   perdure_call_with_checkpoint, .-perdure_call_with_checkpoint

        .globl  perdure_restore_registers
        .hidden perdure_restore_registers
        .type   perdure_restore_registers, @function
perdure_restore_registers:
        endbr64
        movq    (%rdi), %rsp
        leaq    48(%rsp), %rbp
        movl    %esi, %eax
        jmp     .Lperdure_leave
        .size   perdure_restore_registers, .-perdure_restore_registers
)");

extern "C" [[noreturn]] void perdure_restore_registers(perdure::tx::Checkpoint* checkpoint, int result);

#ifdef PERDURE_ADDRESS_SANITIZER
extern "C" void __asan_handle_no_return();
#endif

namespace perdure::tx {

void perdure_set_result(Checkpoint* checkpoint, int result) { *static_cast<int*>(checkpoint->stack_pointer) = result; }

void perdure_restore(Checkpoint* checkpoint, int result) {
#ifdef PERDURE_ADDRESS_SANITIZER
  __asan_handle_no_return();  // the frames that are left are no longer poisoned
#endif
  perdure_restore_registers(checkpoint, result);
}

}  // namespace perdure::tx

#endif

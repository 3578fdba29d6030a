#include "dns.h"

// start calls dns_start with the Go function dnsAnswer, which Go code cannot name as a
// function pointer of C.
lookup *start(const char *name, int ms, uintptr_t data);

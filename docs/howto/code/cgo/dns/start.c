//go:build cgo

#include "start.h"
#include "_cgo_export.h"

lookup *start(const char *name, int ms, uintptr_t data) {
	return dns_start(name, ms, (dns_answer)dnsAnswer, data);
}

// A library of C that resolves names on threads of its own, and calls back from there.
#include <stdint.h>

typedef struct lookup lookup;

// dns_answer is called once for each lookup, on a thread of the library, with the value
// that came with the lookup. After the call, the lookup and the text are gone.
typedef void (*dns_answer)(uintptr_t data, const char *address, int stopped);

// dns_start begins a lookup, which takes ms milliseconds. It returns NULL, and does not
// call back, if there is no thread for it.
lookup *dns_start(const char *name, int ms, dns_answer done, uintptr_t data);

// dns_stop makes a lookup call back soon. It does not wait for that.
void dns_stop(lookup *l);

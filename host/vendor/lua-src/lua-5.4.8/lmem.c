/*
** $Id: lmem.c $
** Interface to Memory Manager
** See Copyright Notice in lua.h
*/

#define lmem_c
#define LUA_CORE

#include "lprefix.h"


#include <stddef.h>
#include <string.h>

#include "lua.h"

#include "ldebug.h"
#include "ldo.h"
#include "lgc.h"
#include "lmem.h"
#include "lobject.h"
#include "lstate.h"



/*
** About the realloc function:
** void *frealloc (void *ud, void *ptr, size_t osize, size_t nsize);
** ('osize' is the old size, 'nsize' is the new size)
**
** - frealloc(ud, p, x, 0) frees the block 'p' and returns NULL.
** Particularly, frealloc(ud, NULL, 0, 0) does nothing,
** which is equivalent to free(NULL) in ISO C.
**
** - frealloc(ud, NULL, x, s) creates a new block of size 's'
** (no matter 'x'). Returns NULL if it cannot create the new block.
**
** - otherwise, frealloc(ud, b, x, y) reallocates the block 'b' from
** size 'x' to size 'y'. Returns NULL if it cannot reallocate the
** block to the new size.
*/


/*
** wardroom: most states live for one call and stay small. Their blocks come
** from one piece of memory, the pool, while it lasts: the next bytes of it,
** or a freed block of the same size. Whoever frees a block knows its size.
** The pool of a state without blocks elsewhere is freed as a whole (see
** 'luaC_freeallobjects'). Without a pool, each block is of 'frealloc'.
*/

#define poolround(s)	(((s) + (LUAI_POOLUNIT - 1)) & ~(size_t)(LUAI_POOLUNIT - 1))

#define inpool(g,b)	((size_t)(cast_charp(b) - (g)->pool) < LUAI_POOLBYTES)


void luaM_newpool (lua_State *L) {
  global_State *g = G(L);
  int i;
  for (i = 0; i < LUAI_POOLLISTS; i++) g->poolfree[i] = NULL;
  g->outside = 0;
  g->pool = cast_charp((*g->frealloc)(g->ud, NULL, 0, LUAI_POOLBYTES));
  g->poolnext = g->pool;
}


void luaM_freepool (lua_State *L) {
  global_State *g = G(L);
  (*g->frealloc)(g->ud, g->pool, LUAI_POOLBYTES, 0);
}


static void *newblock_ (global_State *g, size_t osize, size_t size) {
  size_t need = poolround(size);
  size_t list = need / LUAI_POOLUNIT - 1;
  void *block;
  if (list < LUAI_POOLLISTS && g->poolfree[list] != NULL) {
    block = g->poolfree[list];
    g->poolfree[list] = *(void **)block;
    return block;
  }
  if (g->pool != NULL && size <= LUAI_POOLBYTES &&
      need <= (size_t)(g->pool + LUAI_POOLBYTES - g->poolnext)) {
    block = g->poolnext;
    g->poolnext += need;
    return block;
  }
  block = (*g->frealloc)(g->ud, NULL, osize, size);
  if (block != NULL) g->outside++;
  return block;
}


static void freeblock_ (global_State *g, void *block, size_t osize) {
  if (inpool(g, block)) {
    size_t need = poolround(osize);
    size_t list = need / LUAI_POOLUNIT - 1;
    if (cast_charp(block) + need == g->poolnext)
      g->poolnext = cast_charp(block);
    else if (list < LUAI_POOLLISTS) {
      *(void **)block = g->poolfree[list];
      g->poolfree[list] = block;
    }
  }
  else {
    (*g->frealloc)(g->ud, block, osize, 0);
    g->outside--;
  }
}


/*
** wardroom: does what the allocation function does, in the pool if it can.
** A block in the pool that shrinks stays where it is.
*/
static void *callfrealloc (global_State *g, void *block, size_t osize,
                                            size_t nsize) {
  void *newblock;
  if (block == NULL)
    return (nsize == 0) ? NULL : newblock_(g, osize, nsize);
  if (nsize == 0) {
    freeblock_(g, block, osize);
    return NULL;
  }
  if (!inpool(g, block))
    return (*g->frealloc)(g->ud, block, osize, nsize);
  if (nsize <= poolround(osize))
    return block;
  newblock = newblock_(g, 0, nsize);
  if (newblock == NULL) return NULL;
  memcpy(newblock, block, osize);
  freeblock_(g, block, osize);
  return newblock;
}


/*
** When an allocation fails, it will try again after an emergency
** collection, except when it cannot run a collection.  The GC should
** not be called while the state is not fully built, as the collector
** is not yet fully initialized. Also, it should not be called when
** 'gcstopem' is true, because then the interpreter is in the middle of
** a collection step.
*/
#define cantryagain(g)	(completestate(g) && !g->gcstopem)




#if defined(EMERGENCYGCTESTS)
/*
** First allocation will fail except when freeing a block (frees never
** fail) and when it cannot try again; this fail will trigger 'tryagain'
** and a full GC cycle at every allocation.
*/
static void *firsttry (global_State *g, void *block, size_t os, size_t ns) {
  if (ns > 0 && cantryagain(g))
    return NULL;  /* fail */
  else  /* normal allocation */
    return callfrealloc(g, block, os, ns);
}
#else
#define firsttry(g,block,os,ns)    callfrealloc(g, block, os, ns)
#endif





/*
** {==================================================================
** Functions to allocate/deallocate arrays for the Parser
** ===================================================================
*/

/*
** Minimum size for arrays during parsing, to avoid overhead of
** reallocating to size 1, then 2, and then 4. All these arrays
** will be reallocated to exact sizes or erased when parsing ends.
*/
#define MINSIZEARRAY	4


void *luaM_growaux_ (lua_State *L, void *block, int nelems, int *psize,
                     int size_elems, int limit, const char *what) {
  void *newblock;
  int size = *psize;
  if (nelems + 1 <= size)  /* does one extra element still fit? */
    return block;  /* nothing to be done */
  if (size >= limit / 2) {  /* cannot double it? */
    if (l_unlikely(size >= limit))  /* cannot grow even a little? */
      luaG_runerror(L, "too many %s (limit is %d)", what, limit);
    size = limit;  /* still have at least one free place */
  }
  else {
    size *= 2;
    if (size < MINSIZEARRAY)
      size = MINSIZEARRAY;  /* minimum size */
  }
  lua_assert(nelems + 1 <= size && size <= limit);
  /* 'limit' ensures that multiplication will not overflow */
  newblock = luaM_saferealloc_(L, block, cast_sizet(*psize) * size_elems,
                                         cast_sizet(size) * size_elems);
  *psize = size;  /* update only when everything else is OK */
  return newblock;
}


/*
** In prototypes, the size of the array is also its number of
** elements (to save memory). So, if it cannot shrink an array
** to its number of elements, the only option is to raise an
** error.
*/
void *luaM_shrinkvector_ (lua_State *L, void *block, int *size,
                          int final_n, int size_elem) {
  void *newblock;
  size_t oldsize = cast_sizet((*size) * size_elem);
  size_t newsize = cast_sizet(final_n * size_elem);
  lua_assert(newsize <= oldsize);
  newblock = luaM_saferealloc_(L, block, oldsize, newsize);
  *size = final_n;
  return newblock;
}

/* }================================================================== */


l_noret luaM_toobig (lua_State *L) {
  luaG_runerror(L, "memory allocation error: block too big");
}


/*
** Free memory
*/
void luaM_free_ (lua_State *L, void *block, size_t osize) {
  global_State *g = G(L);
  lua_assert((osize == 0) == (block == NULL));
  callfrealloc(g, block, osize, 0);
  g->GCdebt -= osize;
}


/*
** In case of allocation fail, this function will do an emergency
** collection to free some memory and then try the allocation again.
*/
static void *tryagain (lua_State *L, void *block,
                       size_t osize, size_t nsize) {
  global_State *g = G(L);
  if (cantryagain(g)) {
    luaC_fullgc(L, 1);  /* try to free some memory... */
    return callfrealloc(g, block, osize, nsize);  /* try again */
  }
  else return NULL;  /* cannot run an emergency collection */
}


/*
** Generic allocation routine.
*/
void *luaM_realloc_ (lua_State *L, void *block, size_t osize, size_t nsize) {
  void *newblock;
  global_State *g = G(L);
  lua_assert((osize == 0) == (block == NULL));
  newblock = firsttry(g, block, osize, nsize);
  if (l_unlikely(newblock == NULL && nsize > 0)) {
    newblock = tryagain(L, block, osize, nsize);
    if (newblock == NULL)  /* still no memory? */
      return NULL;  /* do not update 'GCdebt' */
  }
  lua_assert((nsize == 0) == (newblock == NULL));
  g->GCdebt = (g->GCdebt + nsize) - osize;
  return newblock;
}


void *luaM_saferealloc_ (lua_State *L, void *block, size_t osize,
                                                    size_t nsize) {
  void *newblock = luaM_realloc_(L, block, osize, nsize);
  if (l_unlikely(newblock == NULL && nsize > 0))  /* allocation failed? */
    luaM_error(L);
  return newblock;
}


void *luaM_malloc_ (lua_State *L, size_t size, int tag) {
  if (size == 0)
    return NULL;  /* that's all */
  else {
    global_State *g = G(L);
    void *newblock = firsttry(g, NULL, tag, size);
    if (l_unlikely(newblock == NULL)) {
      newblock = tryagain(L, NULL, tag, size);
      if (newblock == NULL)
        luaM_error(L);
    }
    g->GCdebt += size;
    return newblock;
  }
}

/* Macros that other headers leave behind, with the meaning that they have there. A program includes
   these first, and its standard headers before or after; the implementation must compile after them,
   so none of its own names may be one of these. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* windows.h and what it includes: windef.h, winsock.h, wingdi.h, winuser.h, dlgs.h, ... */
#define near
#define far
#define NEAR near
#define FAR far
#define pascal
#define cdecl
#define PASCAL
#define CALLBACK
#define CONST const
#define VOID void
#define IN
#define OUT
#define OPTIONAL
#define STRICT 1
#define TRUE 1
#define FALSE 0
#define ERROR 0
#define NO_ERROR 0L
#define DELETE (0x00010000L)
#define IGNORE 0
#define INFINITE 0xFFFFFFFF
#define DIFFERENCE 11
#define ABSOLUTE 1
#define RELATIVE 2
#define TRANSPARENT 1
#define OPAQUE 2
#define ALTERNATE 1
#define WINDING 2
#define PASSTHROUGH 19
#define PURE = 0
#define THIS void
#define s_addr S_un.S_addr
#define s_host S_un.S_un_b.s_b2
#define s_net S_un.S_un_b.s_b1
#define h_addr h_addr_list[0]
#define psh1 0x0400
#define chx1 0x0410
#define rad1 0x0420
#define grp1 0x0430
#define frm1 0x0434
#define rct1 0x0438
#define ico1 0x043c
#define stc1 0x0440
#define lst1 0x0460
#define cmb1 0x0470
#define edt1 0x0480
#define scr1 0x0490

/* objbase.h, rpcndr.h */
#define interface struct
#define small char
#define hyper long long

/* 16-bit compilers, and those of small processors */
#define huge
#define interrupt
#define persistent
#define bank1
#define rom const

/* windef.h and stdlib.h of the same, Arduino.h */
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))

/* Arduino.h, binary.h */
#define PI 3.1415926535897932384626433832795
#define HALF_PI 1.5707963267948966192313216916398
#define TWO_PI 6.283185307179586476925286766559
#define DEG_TO_RAD 0.017453292519943295769236907684886
#define RAD_TO_DEG 57.295779513082320876798154814105
#define EULER 2.718281828459045235360287471352
#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define CHANGE 1
#define FALLING 2
#define RISING 3
#define DEFAULT 1
#define INTERNAL 3
#define EXTERNAL 0
#define SERIAL 0x0
#define DISPLAY 0x1
#define B0 0
#define B1 1
#define B10 2
#define abs(x) ((x) > 0 ? (x) : -(x))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))
#define radians(deg) ((deg)*DEG_TO_RAD)
#define degrees(rad) ((rad)*RAD_TO_DEG)
#define sq(x) ((x) * (x))
#define interrupts() sei()
#define bit(b) (1UL << (b))
#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#define lowByte(w) ((uint8_t)((w)&0xff))
#define word(...) makeWord(__VA_ARGS__)
#define F(string_literal) (reinterpret_cast<const __FlashStringHelper *>(PSTR(string_literal)))

/* X.h, Xlib.h */
#define None 0L
#define Above 0
#define Below 1
#define Always 2
#define Success 0
#define Complex 0
#define Convex 2
#define Nonconvex 1
#define CurrentTime 0L
#define FocusIn 9
#define KeyPress 2
#define Bool int
#define Status int
#define True 1
#define False 0

/* Unreal: AssertionMacros.h, UnrealMathUtility.h, CoreMiscDefines.h */
#define check(expr)                                                                                \
    {                                                                                              \
        if (!(expr)) abort();                                                                      \
    }
#define checkf(expr, format, ...)                                                                  \
    {                                                                                              \
        if (!(expr)) abort();                                                                      \
    }
#define checkSlow(expr)
#define verify(expr)                                                                               \
    {                                                                                              \
        if (!(expr)) abort();                                                                      \
    }
#define ensure(expr) (expr)
#define unimplemented() abort()
#define DELTA (0.00001f)
#define SMALL_NUMBER (1.e-8f)
#define BIG_NUMBER (3.4e+38f)
#define INV_PI (0.31830988618f)
#define THRESH_POINT_ON_PLANE (0.10f)
#define INDEX_NONE (-1)
#define TEXT(x) L##x

/* AssertMacros.h of old Apple systems, objc.h, ConditionalMacros.h */
#define require(assertion, label)                                                                  \
    do {                                                                                           \
        if (!(assertion)) goto label;                                                              \
    } while (0)
#define check_string(assertion, message) check(assertion)
#define nil NULL
#define Nil NULL
#define YES 1
#define NO 0

/* Qt: qobjectdefs.h, qglobal.h */
#define signals public
#define slots
#define emit
#define forever for (;;)
#define foreach(variable, container) for (variable : container)

/* complex.h */
#define complex _Complex
#define I (0.0f + 1.0fi)

/* sys/sysmacros.h, sys/param.h, and compilers that are not told of a standard */
#define major(dev) ((unsigned)((dev) >> 8))
#define minor(dev) ((unsigned)((dev)&255))
#define makedev(maj, min) (((maj) << 8) | (min))
#define unix 1
#define linux 1
#define i386 1
#define sun 1
#define sgi 1
#define mips 1
#define sparc 1
#define vax 1
#define hpux 1
#define howmany(x, y) (((x) + ((y)-1)) / (y))
#define roundup(x, y) ((((x) + ((y)-1)) / (y)) * (y))
#define powerof2(x) ((((x)-1) & (x)) == 0)
#define setbit(a, i) ((a)[(i) / 8] |= 1 << ((i) % 8))
#define isset(a, i) ((a)[(i) / 8] & (1 << ((i) % 8)))
#define st_mtime st_mtim.tv_sec
#define si_value _sifields._rt.si_sigval
#define index(s, c) (strchr((s), (c)))

/* math.h of some, vxWorks.h, and what each program has somewhere */
#define HUGE 3.40282347e+38F
#define DOMAIN 1
#define SING 2
#define OVERFLOW 3
#define UNDERFLOW 4
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CLAMP(x, low, high) (((x) > (high)) ? (high) : (((x) < (low)) ? (low) : (x)))
#define SWAP(a, b) ((void)0)
#define EPS 1e-6
#define EPSILON 1e-6
#define OK 0
#define NONE (-1)
#define LOCAL static
#define STATUS int
#define ON 1
#define OFF 0
#define always_inline static inline

/* curses.h */
#define box(win, v, h) wborder(win, v, v, h, h, 0, 0, 0, 0)
#define border(ls, rs, ts, bs, tl, tr, bl, br) wborder(stdscr, ls, rs, ts, bs, tl, tr, bl, br)
#define clear() wclear(stdscr)
#define erase() werase(stdscr)
#define move(y, x) wmove(stdscr, (y), (x))
#define refresh() wrefresh(stdscr)

/* ctype.h of BSD and newlib, libintl.h */
#define _U 01
#define _L 02
#define _N 04
#define _X 0100
#define _(text) gettext(text)

#ifndef __cplusplus
/* altivec.h, and headers of C for what C++ has as words */
#define vector __vector
#define pixel __pixel
#define bool _Bool
#define true 1
#define false 0
#define and &&
#define or ||
#define not !
#define xor ^
#define compl ~
#define bitand &
#define bitor |
#define alignas _Alignas
#define noreturn _Noreturn
#define thread_local _Thread_local
#endif

#endif

/* An entry for the Loebner Prize in plain C for Windows and POSIX, which echoes: bot [DIRECTORY] */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef _WIN32
#include <shlobj.h>
#define mkdir(path, mode) mkdir(path)
#define BROWSE SHGetPathFromIDListA(SHBrowseForFolderA(&(BROWSEINFOA){.hwndOwner = NULL}), place)
#else
#define BROWSE fgets(place, ROOM, popen("zenity --file-selection --directory", "r"))
#endif
enum { ROOM = 4096, WORDS = 38, MOMENT = 20000 /* microseconds */, PATIENCE = 200 /* moments */ };
static const char *const words[WORDS] = { /* a character and its name; the last two are X11's */
    "{braceleft", "}braceright", "[bracketleft", "(parenleft", ")parenright", ",comma", ".period",
    "]bracketright", ">greater", "<less", "/slash", "\\backslash", "|bar", "\"quotedbl", "=equal",
    "'quoteright", "_underscore", "+plus", "-minus", "!exclam", "@at", "#numbersign", "$dollar",
    "%percent", "*asterisk", "^asciicircum", "~asciitilde", "`quoteleft", "?question", "&ampersand",
    ":colon", ";semicolon", " space", "\tTab", "\nReturn", "\bBackSpace", "'apostrophe", "`grave"};
static char place[ROOM], line[ROOM], name[ROOM], taken[ROOM], path[3 * ROOM];
static unsigned long number, limit, length, idle;
static FILE *memory; /* beside the program: the directory may be emptied */

static const char *reply(const char *said) { return said; /* your bot goes here */ }

/* Finds the judge's oldest key press below a number; returns its number plus one, or 0. */
static unsigned long long oldest(unsigned long long below) {
    unsigned long long its, next = 0;
    DIR *listing = opendir(place);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        char *found = entry->d_name, *dot = strrchr(found, '.'), *end;
        its = strtoull(found, &end, 10);
        if (*found < '0' || *found > '9' || *end != '.' || end == dot) continue;
        if (!strcmp(dot, ".other") && its > number && its < 4000000000UL) number = its;
        if (strcasecmp(dot, ".judge") || its >= below) continue;
        if (!next || its < below - 1 || strcmp(found, name) < 0) strcpy(name, found);
        below = next = its + 1;
    }
    if (listing) closedir(listing);
    return next;
}
static void press(char c) {
    const char *key = (char[]){c, '\0'};
    for (int i = WORDS; i--;) if (words[i][0] == c) key = words[i] + 1;
    do { /* again if the number is taken or the disk full; ENOENT: made and already read (Wine) */
        if (++number > limit) fprintf(memory, "%lu\n", limit = number + 999), fflush(memory);
        snprintf(path, sizeof path, "%s/%010lu.%s.other", place, number, key);
    } while (mkdir(path, 0777) && (errno != ENOENT || access(place, F_OK)) && !usleep(MOMENT));
}
static void hear(const char *key) {
    char c = *key && !key[1] ? *key : '\0'; /* an unknown name of several letters types nothing */
    for (int i = 0; i < WORDS; i++) if (!strcmp(words[i] + 1, key)) c = words[i][0];
    const char *answer = c == '\n' && line[strspn(line, " \t")] ? reply(line) : NULL;
    if (answer) do press(*answer ? *answer : '\n'); while (*answer++);
    if (c == '\n' || (c == '\b' && length)) length = c == '\n' ? 0 : length - 1;
    if (c > '\b' && c != '\n' && length < ROOM - 1) line[length++] = c;
    line[length] = '\0';
}
int main(int argc, char **argv) {
    if (argc > 1) snprintf(place, ROOM, "%s", argv[1]); else if (!BROWSE) return 2;
    strtok(place, "\n");
    if (!(memory = fopen(strcat(strcpy(path, argv[0]), ".numbers"), "a+"))) return perror(path), 2;
    for (rewind(memory); fscanf(memory, "%lu", &limit) > 0;) if (limit > number) number = limit;
    printf("listening in %s\n", place), fflush(stdout);
    for (;; usleep(MOMENT)) {
        if (length && ++idle > PATIENCE) hear("Return"); /* not every judge presses Return */
        for (; oldest(oldest(~0ULL)); idle = 0) { /* one listing can miss keys: list twice */
            snprintf(path, sizeof path, "%s/%s", place, name);
            int refused = rmdir(path); /* try again in a moment, but count the key once */
            if (strcmp(name, taken))
                *strrchr(strcpy(taken, name), '.') = '\0', hear(strchr(taken, '.') + 1);
            strcpy(taken, name);
            if (refused) break;
        }
    }
}

/* run_place.h: where a run is written: the directory that was named, or one named after the problem, with a
 * number where earlier runs are. */
#ifndef PDE_RUNTIME_TRAIN_RUN_PLACE_H
#define PDE_RUNTIME_TRAIN_RUN_PLACE_H

#include "train/run_directory.h"

/* The directory that --resume goes on in: that of --out, or else the latest that is named after the problem. */
Status run_place_latest(const Config *config, char *directory, Error *error);

/* Takes the directory of a run that is resumed or begins: run_open. One that begins and is given no name takes
 * the first free of my.run, my.2.run, ...; a line about that goes to notes. With --force it replaces the first,
 * or the one of --out. */
Status run_place_take(const Config *config, Run *run, Buffer *notes, Error *error);

#endif

#ifndef PLAN_READ_ACTION_H
#define PLAN_READ_ACTION_H

#include "plan/plan_read.h"

/* The kinds of actions; private to plan_read_action*.c and _gesture.c. */
struct plan_read_action_kind {
	const char *name;
	enum plan_action_kind kind;
	bool idempotent; /* doing it twice does no harm */
	void (*read)(struct plan_reader *r, const struct yaml_node *node,
		     struct plan_action *a);
};

/* plan_read_action_kind.c: NULL: there is none of this name. */
const struct plan_read_action_kind *
plan_read_action_kind_find(const char *name);

/* plan_read_gesture.c: what a user does with fingers and keys. */
void plan_read_gesture_tap(struct plan_reader *r, const struct yaml_node *node,
			   struct plan_action *a);
void plan_read_gesture_long_press(struct plan_reader *r,
				  const struct yaml_node *node,
				  struct plan_action *a);
void plan_read_gesture_text(struct plan_reader *r, const struct yaml_node *node,
			    struct plan_action *a);
void plan_read_gesture_key(struct plan_reader *r, const struct yaml_node *node,
			   struct plan_action *a);
void plan_read_gesture_swipe(struct plan_reader *r,
			     const struct yaml_node *node,
			     struct plan_action *a);

#endif

/** The condition under which a schedule `s` fires by itself: it is neither paused nor parked. */
export const CAN_FIRE = 's.is_enabled and s.parked_reason is null';

/** The condition under which a schedule `s` has a cursor to claim, as the index crn_schedule_due_idx has it. */
export const HAS_CURSOR = `${CAN_FIRE} and s.next_fire_at_unix_ms is not null`;

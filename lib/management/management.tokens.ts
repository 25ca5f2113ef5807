/** The options of one mounted API, checked and complete: `ResolvedManagement`. */
export const MANAGEMENT_OPTIONS = Symbol('MANAGEMENT_OPTIONS');

/** Stands for the documentation of one mounted API having been made. */
export const MANAGEMENT_DOCUMENTATION = Symbol('MANAGEMENT_DOCUMENTATION');

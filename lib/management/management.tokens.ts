/** The options of one mounted API, checked and complete: `ResolvedManagement`. */
export const MANAGEMENT_OPTIONS = Symbol('MANAGEMENT_OPTIONS');

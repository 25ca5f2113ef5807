/** Metadata of a route: the `Door` it is. */
export const DOOR = Symbol('DOOR');

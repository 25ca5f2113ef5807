/** Params that nobody has checked yet. */
export type UncheckedParams = Readonly<Record<string, unknown>>;

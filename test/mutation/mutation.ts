/** One place in the code, and what stands there instead. */
export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly replacement: string;
}

/** The test that turns red when a guard is gone. */
export interface Killer {
  /** From the root of the project. */
  readonly spec: string;
  /** Its title, or the part of it that it has in common with others. */
  readonly test: string;
}

/** A guard, and how it is removed from the real code. */
export interface Mutation {
  /** What is removed, as the manual names it. */
  readonly guard: string;
  /** What is guaranteed by it. */
  readonly guarantee: string;
  readonly edits: readonly Edit[];
  readonly killer: Killer;
}

/** A guard whose removal no test can show, because others stand behind it whatever happens. */
export interface RedundantGuard extends Omit<Mutation, 'killer'> {
  /** Tests that stay green. */
  readonly survives: Killer;
  /** Why nothing can turn red. */
  readonly because: string;
}

/** What it takes to be allowed an action: a permission, or no more than to be somebody. */
export type Requirement =
  | { readonly kind: 'permission'; readonly name: string }
  /** Whoever is authenticated may, and no checker is asked. */
  | { readonly kind: 'signedIn' };

/** A permission, which the application's checker grants. */
export function permission(name: string): Requirement {
  return { kind: 'permission', name };
}

/** Nothing but to be authenticated. */
export const SIGNED_IN: Requirement = { kind: 'signedIn' };

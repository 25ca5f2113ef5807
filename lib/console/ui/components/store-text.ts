import { useContext } from 'preact/hooks';
import { AccessContext } from '../state/access.js';

/** An application that has one store gives it no name. */
const UNNAMED = 'default';

/** What the store is called, and its environment; nothing where there is nothing to tell it by. */
export function useStoreText(): string {
  const { name, environment = '' } = useContext(AccessContext).store;
  return [name === UNNAMED ? '' : name, environment].filter((text) => text !== '').join(' · ');
}

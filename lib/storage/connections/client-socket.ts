import type { ClientBase } from 'pg';

/** A client with its socket, which its types do not show. */
type SocketOwner = ClientBase & { readonly connection: { readonly stream: { destroy(): void } } };

/** Cuts a client's socket at once: `end()` waits for ever for the good-bye of a server that does not answer. */
export function destroySocket(client: ClientBase): void {
  (client as SocketOwner).connection.stream.destroy();
}

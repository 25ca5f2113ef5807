import pg from 'pg';

/** What a connection does for every round trip, whichever way a statement is sent. */
interface Connection {
  query(text: string): void;
  sync(): void;
}

/** Counts from now on, on every connection of this process through the benchmark's own driver. */
export function countRoundTrips(): () => number {
  let count = 0;
  const connection = (pg as unknown as { Connection: { prototype: Connection } }).Connection.prototype;
  const { query, sync } = connection;
  connection.query = function (text) {
    count += 1;
    query.call(this, text);
  };
  connection.sync = function () {
    count += 1;
    sync.call(this);
  };
  return () => count;
}

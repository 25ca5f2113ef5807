// Preloaded: from here on the process has a clock that is wrong.
import { type NodeProgram, PROGRAM_VARIABLE } from './protocol.js';

const { clockAheadMs } = JSON.parse(process.env[PROGRAM_VARIABLE] ?? '{}') as NodeProgram;
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(
      target,
      args.length === 0 ? [RealDate.now() + clockAheadMs] : args,
      newTarget,
    ) as object,
  get: (target, key, receiver): unknown =>
    key === 'now' ? () => RealDate.now() + clockAheadMs : Reflect.get(target, key, receiver),
});

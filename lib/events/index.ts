export { RunEventPublisher } from './run-event.publisher.js';
export {
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  RunAbandonedEvent,
  RunCanceledEvent,
  RunEvent,
  RunFailedEvent,
  RunMissedEvent,
  RunSkippedEvent,
  RunStartedEvent,
  RunSucceededEvent,
  type RunEventName,
  type RunEvents,
} from './run-events.js';
export { runFacts } from './run-facts.js';

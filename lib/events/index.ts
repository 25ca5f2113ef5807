export * from './run-event.publisher.js';
export * from './run-events.js';

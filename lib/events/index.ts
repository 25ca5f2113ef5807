export * from './run-event.publisher.js';
export * from './run-events.js';
export * from './run-facts.js';

// Loads every entry point as a CommonJS application does.
import assert = require('node:assert/strict');
import cronStore = require('nestjs-cron-store');
import health = require('nestjs-cron-store/health');
import terminus = require('nestjs-cron-store/health/terminus');
import testing = require('nestjs-cron-store/testing');

for (const entry of [cronStore, health, terminus, testing]) {
  assert.ok(Object.keys(entry).length > 0);
}

import { BoundedCache } from '../bounded-cache.js';
import { TriggerInvalidError } from '../trigger-invalid.error.js';
import { unknownZoneMessage } from './unknown-zone-message.js';
import { Zone } from './zone.js';
import { canonicalZoneName } from './zone-name.js';

const CACHED_ZONES = 128;
const zones = new BoundedCache<string, Zone>(CACHED_ZONES);

/**
 * The IANA spelling of a zone's name.
 *
 * @throws TriggerInvalidError `timezone_invalid` when there is no such zone
 */
export function requireZoneName(name: string): string {
  const canonical = canonicalZoneName(name);
  if (canonical === undefined) throw new TriggerInvalidError('timezone_invalid', unknownZoneMessage(name));
  return canonical;
}

/**
 * The zone of a name, remembered together with the offsets it has learned.
 *
 * @throws TriggerInvalidError `timezone_invalid` when there is no such zone
 */
export function requireZone(name: string): Zone {
  return zones.getOrCreate(name, () => Zone.named(requireZoneName(name)));
}

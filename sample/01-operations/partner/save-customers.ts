import type { EntityManager } from 'typeorm';
import type { CustomerRecord } from './partner.client.js';
import { PartnerCustomer } from './partner-customer.entity.js';

/** Writes customers down. What is known in a newer version stays: two jobs write, and none waits for the other. */
export async function saveCustomers(
  manager: EntityManager,
  customers: readonly CustomerRecord[],
): Promise<void> {
  // In one order everywhere, so that two jobs that lock the same rows do not deadlock.
  const ordered = customers.toSorted((one, other) => one.id - other.id);
  if (ordered.length === 0) {
    return;
  }
  await manager
    .createQueryBuilder()
    .insert()
    .into(PartnerCustomer)
    .values(ordered)
    .orUpdate(['name', 'changed_at'], ['id'], {
      overwriteCondition: { where: 'excluded.changed_at > partner_customer.changed_at' },
    })
    .execute();
}

import type { SqlDriver } from '@app/event-store';

/** As if the clock of the database had been steady for so many hours, with a check at least every hour. */
export async function steadyFor(driver: SqlDriver, hours: number): Promise<void> {
  await shift(driver, 'steady_since', `seen_at - interval '${hours} hours'`);
}

/** As if that clock had shown a time so many hours earlier, or later, at the last check: it has jumped since, or no check ran. */
export async function lastSeen(driver: SqlDriver, hoursAgo: number): Promise<void> {
  await shift(driver, 'steady_since', `steady_since - interval '${hoursAgo} hours'`);
  await shift(driver, 'seen_at', `seen_at - interval '${hoursAgo} hours'`);
}

async function shift(driver: SqlDriver, column: string, to: string): Promise<void> {
  await driver.transaction((tx) => tx.script(`update clock_watch set ${column} = ${to}`));
}

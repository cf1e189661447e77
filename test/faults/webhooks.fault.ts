import { deliverWhileKilling } from '../support/service/replicas-and-receiver';

describe('three replicas that deliver 10,000 events, two of which are killed in turn and started again', () => {
  it('lose no event, keep the order of each subject and repeat only the same messages', async () => {
    const killAt = [500, 1_500, 2_500, 3_500, 4_500, 5_500, 6_500, 7_500, 8_500, 9_500];
    const run = { events: 10_000, subjects: 500, killAt, startsAgain: true };
    const { stored, received, messages, altered } = await deliverWhileKilling(run);
    expect(received).toEqual(stored);
    expect(altered).toEqual([]);
    process.stdout.write(`${messages} messages for ${run.events} events, ${killAt.length} kills\n`);
  }, 600_000);
});

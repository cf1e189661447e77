import { deliverWhileKilling } from '../support/service/replicas-and-receiver';

describe('three replicas, two of which are killed in turn', () => {
  it('lose no event, keep the order of each subject and repeat only the same messages', async () => {
    const run = { events: 200, subjects: 20, killAt: [40, 110], startsAgain: false };
    const { stored, received, messages, altered } = await deliverWhileKilling(run);
    expect(received).toEqual(stored);
    expect(altered).toEqual([]);
    expect(messages).toBeGreaterThanOrEqual(200);
  });
});

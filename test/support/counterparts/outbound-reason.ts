import { OutboundError } from '@app/outbound';

/** Why a request to another server failed, or `answered`. */
export async function reasonOf(getting: Promise<unknown>): Promise<string> {
  try {
    await getting;
    return 'answered';
  } catch (error) {
    if (error instanceof OutboundError) return error.reason;
    throw error;
  }
}

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../api/use-api';
import { Form } from '../parts/form';
import { TextField } from '../parts/text-field';
import { text } from '../texts';

interface ResponseCodeFormProps {
  readonly state: string;
  /** Why the result is withheld, in the words of the service. */
  readonly reason: string;
  readonly onRedeemed: () => void;
}

/** On the same device, the result is shown to whoever brings the code that the wallet passed to the return address. */
export function ResponseCodeForm({ state, reason, onRedeemed }: ResponseCodeFormProps): VNode {
  const [responseCode, setResponseCode] = useState('');
  const action = useAction();
  const redeem = async (): Promise<void> => {
    const path = `authorization_requests/${encodeURIComponent(state)}/response_code`;
    if ((await action.call('POST', path, { responseCode })) !== undefined) onRedeemed();
  };
  return (
    <Form isWide action={action} submit={text('requests.showResult')} onSubmit={redeem}>
      <p>{reason}</p>
      <TextField
        id="response-code"
        label={text('requests.responseCode')}
        value={responseCode}
        onText={setResponseCode}
        required
      />
    </Form>
  );
}

import type { VNode } from 'preact';
import type { RequestSummary } from '../api/resources';
import { Latest } from '../parts/latest';
import { Moment } from '../parts/moment';
import { Row } from '../parts/rows';
import { addressOf } from '../place';
import { text } from '../texts';
import { askedText } from './request';

const start = () => ({ address: addressOf('new-request'), text: text('requests.new') });

export function RequestsView(): VNode {
  return (
    <Latest<RequestSummary>
      title={text('common.requests')}
      start={start()}
      path="authorization_requests"
      nothing={text('requests.nothing')}
    >
      {({ state, status, responseType, createdAt }) => (
        <Row
          key={state}
          address={addressOf('requests', state)}
          title={askedText(responseType)}
          id={state}
          state={status}
          about={<Moment at={createdAt} />}
        />
      )}
    </Latest>
  );
}

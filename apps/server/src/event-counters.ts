import { authorizationCounter } from '@app/authorization';
import { credentialCounter } from '@app/issuance';
import { importCounter } from '@app/imports';
import { mailCounter } from '@app/mail';
import type { EventCounter } from '@app/observability';
import { offerCounter } from '@app/offers';
import { presentationCounter, statusCounter } from '@app/verification';
import { deliveryCounter, webhookCounter } from '@app/events';

/** What the modules of the business have counted. */
export const eventCounters: readonly EventCounter[] = [
  offerCounter,
  authorizationCounter,
  credentialCounter,
  presentationCounter,
  statusCounter,
  webhookCounter,
  deliveryCounter,
  importCounter,
  mailCounter,
];

import { Settings } from '@app/config';
import { TrustAnchors } from '@app/trust';
import { Injectable } from '@nestjs/common';
import { type AskForPresentationBody, presentationInputOf } from './presentation-body';
import { type PresentationInput, warningsOf } from './presentation-input';

/** Reads bodies of requests by what the settings allow, and knows what a relying party may not expect. */
@Injectable()
export class PresentationInputs {
  constructor(
    private readonly settings: Settings,
    private readonly anchors: TrustAnchors,
  ) {}

  /** Throws a problem that names each fault. */
  of(body: AskForPresentationBody): PresentationInput {
    const { profile, applicationUrl } = this.settings;
    const ownOrigin = new URL(applicationUrl).origin;
    return presentationInputOf(body, { isHttpAllowed: profile === 'development', ownOrigin });
  }

  warningsOf(input: PresentationInput): string[] {
    return warningsOf(input, this.anchors.find('issuer'));
  }
}

import { IssuerDirectory, TrustAnchors } from '@app/identity';
import { Injectable } from '@nestjs/common';
import { type AskForPresentationBody, presentationInputOf } from './presentation-body';
import { type PresentationInput, warningsOf } from './presentation-input';
import { RequestDefaults } from './request-defaults';

/** Reads bodies of requests by what the settings allow, and knows what a relying party may not expect. */
@Injectable()
export class PresentationInputs {
  constructor(
    private readonly defaults: RequestDefaults,
    private readonly anchors: TrustAnchors,
    private readonly issuers: IssuerDirectory,
  ) {}

  /** Throws a problem that names each fault. */
  of(body: AskForPresentationBody): PresentationInput {
    return presentationInputOf(body, this.defaults);
  }

  warningsOf(input: PresentationInput): string[] {
    return warningsOf(input, {
      find: (purpose) => this.anchors.find(purpose),
      mayTrustDocuments: (type) => this.issuers.mayTrustDocuments(type),
    });
  }
}

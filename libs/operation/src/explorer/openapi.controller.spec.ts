import type { Settings } from '@app/config';
import { NotFoundException } from '@nestjs/common';
import { OpenApiController } from './openapi.controller';

describe('the OpenAPI document', () => {
  const render = jest.fn(() => '{"openapi":"3.1.0"}');

  it('is rendered once and served in the development profile', () => {
    const controller = new OpenApiController({ profile: 'development' } as Settings, render);
    expect([controller.document().body, controller.document().body]).toEqual([render(), render()]);
    expect(render.mock.calls).toHaveLength(3);
  });

  it('is not served in the production profile', () => {
    expect(() => new OpenApiController({ profile: 'production' } as Settings, render).document()).toThrow(
      NotFoundException,
    );
  });
});

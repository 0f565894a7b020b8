// The worker that finds the tokens of code, one question at a time.
import { answer, type HighlightRequest } from './highlight-code';

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  void answer(data, (said) => postMessage(said));
});

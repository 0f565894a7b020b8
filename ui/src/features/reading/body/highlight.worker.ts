// The worker that finds the tokens of code, one question at a time.
import { answer, type Question } from './highlight-code';

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  void answer(data, (said) => postMessage(said));
});

//! The arithmetic of a BERT encoder.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::safetensors::Tensor;

/// What `config.json` says of the model.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Config {
    pub(crate) hidden_size: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) num_attention_heads: usize,
    #[serde(default = "max_positions")]
    pub(crate) max_position_embeddings: usize,
    #[serde(default = "epsilon")]
    pub(crate) layer_norm_eps: f32,
}

fn max_positions() -> usize {
    512
}

fn epsilon() -> f32 {
    1e-12
}

/// A table and what is added after multiplying with it.
#[derive(Debug)]
struct Linear {
    weight: Tensor,
    bias: Tensor,
}

#[derive(Debug)]
struct Norm {
    weight: Tensor,
    bias: Tensor,
    epsilon: f32,
}

#[derive(Debug)]
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    after_attention: Norm,
    wide: Linear,
    narrow: Linear,
    after: Norm,
}

/// A model ready to be run.
#[derive(Debug)]
pub(crate) struct Bert {
    pub(crate) config: Config,
    words: Tensor,
    positions: Tensor,
    kinds: Tensor,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Takes the tensors of a model one by one and checks their sizes.
struct Tensors<'t> {
    tensors: &'t mut BTreeMap<String, Tensor>,
    epsilon: f32,
}

impl Tensors<'_> {
    fn take(&mut self, name: &str, columns: usize) -> Result<Tensor, String> {
        let tensor = self
            .tensors
            .remove(name)
            .ok_or_else(|| format!("the weights have no `{name}`"))?;
        if tensor.columns != columns || tensor.rows == 0 {
            return Err(format!(
                "`{name}` is {} wide, and the configuration says {columns}",
                tensor.columns
            ));
        }
        Ok(tensor)
    }

    fn linear(&mut self, name: &str, from: usize, to: Option<usize>) -> Result<Linear, String> {
        let weight = self.take(&format!("{name}.weight"), from)?;
        if to.is_some_and(|to| to != weight.rows) {
            return Err(format!("`{name}.weight` has {} rows", weight.rows));
        }
        let bias = self.take(&format!("{name}.bias"), weight.rows)?;
        Ok(Linear { weight, bias })
    }

    fn norm(&mut self, name: &str, size: usize) -> Result<Norm, String> {
        Ok(Norm {
            weight: self.take(&format!("{name}.weight"), size)?,
            bias: self.take(&format!("{name}.bias"), size)?,
            epsilon: self.epsilon,
        })
    }
}

impl Bert {
    pub(crate) fn new(
        config: Config,
        mut tensors: BTreeMap<String, Tensor>,
    ) -> Result<Self, String> {
        let size = config.hidden_size;
        if config.num_attention_heads == 0
            || !size.is_multiple_of(config.num_attention_heads)
            || size == 0
        {
            return Err(format!(
                "{} attention heads do not divide a size of {size}",
                config.num_attention_heads
            ));
        }
        let mut tensors = Tensors {
            tensors: &mut tensors,
            epsilon: config.layer_norm_eps,
        };
        let mut layers = Vec::new();
        for number in 0..config.num_hidden_layers {
            let layer = format!("encoder.layer.{number}");
            let attention = format!("{layer}.attention");
            let wide = tensors.linear(&format!("{layer}.intermediate.dense"), size, None)?;
            let width = wide.weight.rows;
            layers.push(Layer {
                query: tensors.linear(&format!("{attention}.self.query"), size, Some(size))?,
                key: tensors.linear(&format!("{attention}.self.key"), size, Some(size))?,
                value: tensors.linear(&format!("{attention}.self.value"), size, Some(size))?,
                attended: tensors.linear(&format!("{attention}.output.dense"), size, Some(size))?,
                after_attention: tensors.norm(&format!("{attention}.output.LayerNorm"), size)?,
                wide,
                narrow: tensors.linear(&format!("{layer}.output.dense"), width, Some(size))?,
                after: tensors.norm(&format!("{layer}.output.LayerNorm"), size)?,
            });
        }
        Ok(Self {
            words: tensors.take("embeddings.word_embeddings.weight", size)?,
            positions: tensors.take("embeddings.position_embeddings.weight", size)?,
            kinds: tensors.take("embeddings.token_type_embeddings.weight", size)?,
            norm: tensors.norm("embeddings.LayerNorm", size)?,
            layers,
            config,
        })
    }

    /// The state of each piece after the last layer, one after the other.
    pub(crate) fn run(&self, ids: &[u32]) -> Vec<f32> {
        let size = self.config.hidden_size;
        let mut states = Vec::with_capacity(ids.len() * size);
        for (position, id) in ids.iter().enumerate() {
            let word = self.words.row(usize::try_from(*id).unwrap_or(usize::MAX));
            let parts = word
                .iter()
                .zip(self.positions.row(position))
                .zip(self.kinds.row(0));
            let before = states.len();
            states.extend(parts.map(|((word, position), kind)| word + position + kind));
            states.resize(before + size, 0.0);
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            layer.apply(&mut states, size, self.config.num_attention_heads);
        }
        states
    }
}

impl Linear {
    /// Of every row of the input, the product with every row of the table.
    fn apply(&self, input: &[f32]) -> Vec<f32> {
        let mut output = Vec::with_capacity(input.len() / self.weight.columns * self.weight.rows);
        for row in input.chunks_exact(self.weight.columns) {
            for (weights, bias) in self
                .weight
                .values
                .chunks_exact(self.weight.columns)
                .zip(&self.bias.values)
            {
                output.push(product(row, weights) + bias);
            }
        }
        output
    }
}

impl Norm {
    #[expect(clippy::cast_precision_loss, reason = "a size of some hundred")]
    fn apply(&self, states: &mut [f32]) {
        let count = self.weight.columns as f32;
        for row in states.chunks_exact_mut(self.weight.columns) {
            let mean = row.iter().sum::<f32>() / count;
            let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
            let scale = 1.0 / (variance + self.epsilon).sqrt();
            for ((value, weight), bias) in row
                .iter_mut()
                .zip(&self.weight.values)
                .zip(&self.bias.values)
            {
                *value = (*value - mean) * scale * weight + bias;
            }
        }
    }
}

impl Layer {
    fn apply(&self, states: &mut [f32], size: usize, heads: usize) {
        let attended = self.attended.apply(&self.attend(states, size, heads));
        add(states, &attended);
        self.after_attention.apply(states);
        let mut wide = self.wide.apply(states);
        for value in &mut wide {
            *value = gelu(*value);
        }
        let narrow = self.narrow.apply(&wide);
        add(states, &narrow);
        self.after.apply(states);
    }

    fn attend(&self, states: &[f32], size: usize, heads: usize) -> Vec<f32> {
        let (queries, keys, values) = (
            self.query.apply(states),
            self.key.apply(states),
            self.value.apply(states),
        );
        let width = size / heads;
        #[expect(clippy::cast_precision_loss, reason = "a width of some ten")]
        let scale = 1.0 / (width as f32).sqrt();
        let mut output = vec![0.0; states.len()];
        for (query_row, output_row) in queries
            .chunks_exact(size)
            .zip(output.chunks_exact_mut(size))
        {
            for (head, out) in output_row.chunks_exact_mut(width).enumerate() {
                let part = head * width..(head + 1) * width;
                let query = query_row.get(part.clone()).unwrap_or_default();
                let mut shares: Vec<f32> = keys
                    .chunks_exact(size)
                    .map(|key| product(query, key.get(part.clone()).unwrap_or_default()) * scale)
                    .collect();
                soften(&mut shares);
                for (share, value) in shares.iter().zip(values.chunks_exact(size)) {
                    for (out, value) in out
                        .iter_mut()
                        .zip(value.get(part.clone()).unwrap_or_default())
                    {
                        *out += share * value;
                    }
                }
            }
        }
        output
    }
}

/// Eight sums side by side, which the compiler turns into vector instructions.
fn product(a: &[f32], b: &[f32]) -> f32 {
    let (a, rest_a) = a.as_chunks::<8>();
    let (b, rest_b) = b.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum::<f32>()
}

fn add(states: &mut [f32], more: &[f32]) {
    for (state, more) in states.iter_mut().zip(more) {
        *state += more;
    }
}

fn soften(shares: &mut [f32]) {
    let largest = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for share in &mut *shares {
        *share = (*share - largest).exp();
        sum += *share;
    }
    for share in shares {
        *share /= sum;
    }
}

fn gelu(value: f32) -> f32 {
    0.5 * value * (1.0 + (0.797_884_6 * (value + 0.044_715 * value * value * value)).tanh())
}

//! The arithmetic of the model, against figures of another implementation.

use metier_embed::FolderEmbedder;
use metier_search::Embedder;

/// What another implementation computes from the same weights for the same text.
const EXPECTED: [f32; 16] = [
    -0.159_137, 0.113_283, 0.411_124, 0.227_345, 0.478_935, -0.195_125, -0.375_689, 0.088_045,
    -0.189_396, 0.114_533, -0.370_681, -0.275_466, 0.127_056, -0.205_695, 0.063_573, 0.004_212,
];

#[test]
fn vectors_are_those_of_another_implementation() {
    let model = FolderEmbedder::open(&crate::tiny()).unwrap();
    let vectors = model
        .embed(&["Make a rendering ball s!", "make a rendering balls!"])
        .unwrap();
    assert_eq!(model.dims(), 16);
    for (got, expected) in vectors[1].iter().zip(EXPECTED) {
        assert!((got - expected).abs() < 1e-4, "{:?}", vectors[1]);
    }
    assert_ne!(vectors[0], vectors[1]);
}

#[test]
fn any_text_has_a_vector() {
    let model = FolderEmbedder::open(&crate::tiny()).unwrap();
    for text in ["", "球体", &"red ".repeat(1_000), "\u{0}\u{301}"] {
        let vector = model.embed_query(text).unwrap();
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-3, "{text:?}: {length}");
    }
}

#[test]
fn a_folder_that_is_no_model_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let error = FolderEmbedder::open(folder.path()).unwrap_err();
    assert!(error.problem.contains("config.json"), "{error}");
    for name in ["config.json", "vocab.txt"] {
        std::fs::copy(crate::tiny().join(name), folder.path().join(name)).unwrap();
    }
    std::fs::write(
        folder.path().join("model.safetensors"),
        b"\x02\0\0\0\0\0\0\0{}",
    )
    .unwrap();
    let error = FolderEmbedder::open(folder.path()).unwrap_err();
    assert!(error.problem.contains("the weights have no"), "{error}");
}
